/** Ten thousand names that are often visited, a line each, for `know` of `uts58/judge`. */
declare const names: string
export default names
