// Every page there is. A name in braces is filled in from what a story has made; a page whose names are unknown is left
// out and said so. `visitor` pages are taken signed out.

export const PAGES = [
  { name: 'setup', path: '/setup?code={code}', visitor: true },
  { name: 'login', path: '/login', visitor: true },
  { name: 'overview', path: '/' },
  { name: 'engines', path: '/engines' },
  { name: 'deployment', path: '/engines/{deployment}' },
  { name: 'experiments', path: '/experiments' },
  { name: 'experiment-new', path: '/experiments/new' },
  { name: 'experiment', path: '/experiments/{experiment}' },
  { name: 'run', path: '/runs/{run}' },
  { name: 'reports', path: '/reports' },
  { name: 'report', path: '/reports/{report}' },
  { name: 'shared', path: '/r/{token}', visitor: true },
  { name: 'settings', path: '/settings' },
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
