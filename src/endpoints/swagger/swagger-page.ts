import { WORKING_EXAMPLES } from './swagger-examples.js';

/** The page of Swagger UI. `base` is the URL of its files, with a trailing slash. It contains nothing from clients. */
export function swaggerPage(title: string, base: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${title}</title>
  <link rel="stylesheet" href="${base}swagger-ui.css">
  <link rel="icon" type="image/png" href="${base}favicon-32x32.png" sizes="32x32">
  <link rel="icon" type="image/png" href="${base}favicon-16x16.png" sizes="16x16">
  <style>
    html { box-sizing: border-box; overflow-y: scroll; }
    *, *::before, *::after { box-sizing: inherit; }
    body { margin: 0; background: #fafafa; }
    .swagger-ui .topbar .download-url-wrapper { display: none; }
    @media (max-width: 640px) {
      .swagger-ui .opblock-tag { flex-wrap: wrap; }
      .swagger-ui .opblock-tag small { flex-basis: 100%; order: 1; padding: 0; }
    }
  </style>
</head>
<body>
<div id="swagger-ui"></div>
<script src="${base}swagger-ui-bundle.js"></script>
<script src="${base}swagger-ui-standalone-preset.js"></script>
<script src="${base}swagger-ui-init.js"></script>
</body>
</html>
`;
}

const FILTER_BY_TEXT = `/** Finds tags by all that is shown of them and of their operations. */
const filterByText = () => ({
  fn: {
    opsFilter: (tags, phrase) => {
      const wanted = phrase.toLowerCase();
      const text = (tag, name) =>
        [name, tag.getIn(['tagDetails', 'description']), ...tag.get('operations').map((each) =>
          [each.get('path'), each.get('method'), each.getIn(['operation', 'summary'])].join(' '))].join(' ');
      return tags.filter((tag, name) => text(tag, name).toLowerCase().includes(wanted));
    },
  },
});
`;

/** The script that starts Swagger UI with the document at the given URL. */
export function swaggerInitScript(document: string): string {
  const options = {
    docExpansion: 'none',
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    validatorUrl: null,
    deepLinking: true,
    filter: true,
  };
  return `const KEPT = 'coordination-apiserver.token';

/** Keeps the token until the tab is closed: another tab, or the next day's, has to ask for it. */
const tokenOfTab = () => ({
  statePlugins: {
    auth: {
      wrapActions: {
        authorize: (authorize) => (given) => {
          const { value } = given.BearerToken ?? {};
          if (typeof value === 'string') sessionStorage.setItem(KEPT, value);
          return authorize(given);
        },
        logout: (logout) => (names) => {
          sessionStorage.removeItem(KEPT);
          return logout(names);
        },
      },
    },
  },
});

${FILTER_BY_TEXT}
${WORKING_EXAMPLES}
const url = new URL(${JSON.stringify(document)}, document.currentScript.src).href;
window.addEventListener('load', () => {
  window.ui = SwaggerUIBundle({
    ...${JSON.stringify(options)},
    url,
    dom_id: '#swagger-ui',
    presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
    plugins: [SwaggerUIBundle.plugins.DownloadUrl, tokenOfTab, filterByText],
    onComplete: () => {
      const token = sessionStorage.getItem(KEPT);
      if (token !== null) window.ui.preauthorizeApiKey('BearerToken', token);
      // Leases are the first; an address with a hash opens what it names.
      if (location.hash === '') window.ui.layoutActions.show(['operations-tag', window.ui.specSelectors.specJson().getIn(['tags', 0, 'name'])], true);
    },
    ...workingExamples,
    layout: 'StandaloneLayout',
  });
});
`;
}
