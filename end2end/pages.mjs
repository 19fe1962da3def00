// Every page there is. A name in braces is filled in from what a story has made; a page whose names are unknown is left
// out and said so. `visitor` pages are taken signed out. `when` is the state of the product that shows the page: before
// the first account, with an account and nothing else, while an experiment runs, or with everything there (when left out).

export const PAGES = [
  { name: 'setup', path: '/setup?code={code}', visitor: true, when: 'new' },
  { name: 'overview-empty', path: '/', when: 'empty' },
  { name: 'engines-empty', path: '/engines', when: 'empty' },
  { name: 'experiment-new-empty', path: '/experiments/new', when: 'empty' },
  { name: 'experiment-running', path: '/experiments/{experiment}?live=off', when: 'running' },
  { name: 'login', path: '/login', visitor: true },
  { name: 'overview', path: '/' },
  { name: 'engines', path: '/engines' },
  { name: 'deployment', path: '/engines/{deployment}' },
  { name: 'experiments', path: '/experiments' },
  { name: 'experiment-new', path: '/experiments/new?preset=custom' },
  { name: 'experiment', path: '/experiments/{experiment}' },
  { name: 'run', path: '/runs/{run}' },
  { name: 'reports', path: '/reports' },
  { name: 'report', path: '/reports/{report}' },
  { name: 'shared', path: '/r/{token}', visitor: true },
  { name: 'shared-unknown', path: '/r/unknown', visitor: true, status: 404 },
  { name: 'settings', path: '/settings' },
  { name: 'not-found', path: '/nowhere', status: 404 },
];

/** The path with its names filled in, or undefined when one of them is unknown. */
export function fill(path, names) {
  let whole = true;
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => {
    if (names[name] === undefined) whole = false;
    return encodeURIComponent(names[name] ?? '');
  });
  return whole ? filled : undefined;
}
