/** The anchors of a page's headings, in GitHub's form, in their order. */
export function headingSlugs(text) {
  const seen = new Map();
  return [...text.replace(/^(```|~~~)[^]*?^\1/gm, '').matchAll(/^#{1,6} +(.+)$/gm)].map(([, title]) => {
    const slug = title
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-');
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
}
