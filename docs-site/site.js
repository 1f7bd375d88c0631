// The search: sections with most of the words come first; titles count most, short ones more than long ones.
const script = document.querySelector('script[data-base]');
const base = new URL(script?.dataset.base || './', location.href);
const input = document.querySelector('input[type=search]');
const found = document.querySelector('.found');
const MOST = 12;
/** What changed, and how it is made, is seldom what a user looks for. */
const LAST = /^(CHANGELOG|CONTRIBUTING)\.html/;
let sections;

if (matchMedia('(max-width: 860px)').matches) document.querySelector('nav details')?.removeAttribute('open');

async function load() {
  sections ??= fetch(new URL('search.json', base)).then((response) => response.json());
  return sections;
}

/** How many of the words a section has, and how prominently. */
function score({ page, title, words }, wanted) {
  const [inTitle, inPage, inWords] = [title, page, words].map((text) => ` ${text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ')}`);
  const length = inTitle.split(' ').length;
  let [count, sum] = [0, 0];
  for (const word of wanted) {
    const has = (text) => text.includes(` ${word}`);
    const points = (has(inTitle) ? 10 + 10 / length : 0) + (has(inPage) ? 4 : 0) + (has(inWords) ? 1 : 0);
    if (points > 0) count += 1;
    sum += points;
  }
  return { count, sum };
}

function excerpt(words, wanted) {
  const at = Math.max(0, words.toLowerCase().indexOf(wanted[0]) - 40);
  return `${at > 0 ? '…' : ''}${words.slice(at, at + 120)}`;
}

async function search() {
  const wanted = input.value.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const all = await load();
  const best = all.map((section) => [score(section, wanted), section]).filter(([{ count }]) => count > 0);
  best.sort(([a, { url: one }], [b, { url: other }]) => LAST.test(one) - LAST.test(other) || b.count - a.count || b.sum - a.sum);
  found.replaceChildren(
    ...best.slice(0, MOST).map(([, section]) => {
      const link = document.createElement('a');
      link.href = new URL(section.url, base);
      const title = document.createElement('strong');
      title.textContent = section.page === section.title ? section.title : `${section.page}: ${section.title}`;
      const text = document.createElement('span');
      text.textContent = excerpt(section.words, wanted);
      link.append(title, text);
      return link;
    }),
  );
  if (wanted.length > 0 && best.length === 0) found.textContent = 'Nothing has any of these words.';
}

input.addEventListener('focus', load);
input.addEventListener('input', search);
addEventListener('keydown', (event) => {
  const links = [...found.querySelectorAll('a')];
  const at = links.indexOf(document.activeElement);
  if (event.key === '/' && document.activeElement !== input) {
    event.preventDefault();
    input.focus();
  } else if (event.key === 'Escape') {
    input.value = '';
    found.replaceChildren();
  } else if (event.key === 'Enter' && document.activeElement === input) links[0]?.click();
  else if (event.key === 'ArrowDown' && (at >= 0 || document.activeElement === input) && links[at + 1]) {
    event.preventDefault();
    links[at + 1].focus();
  } else if (event.key === 'ArrowUp' && at >= 0) {
    event.preventDefault();
    (links[at - 1] ?? input).focus();
  }
});
