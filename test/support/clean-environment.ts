/** The environment of programs under test: without what would configure them, but with the variable that chooses their HTTP/2 implementation. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => isInherited(name)));
}

function isInherited(name: string): boolean {
  return name === 'COORDINATION_APISERVER_HTTP2_IMPLEMENTATION' || !/^(DATABASE_URL$|PG|COORDINATION_|NODE_OPTIONS$|npm_)/.test(name);
}
