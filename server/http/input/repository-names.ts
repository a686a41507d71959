/**
 * The name of a repository of this server, which is a folder and a part of its address: the rule of
 * the constraint `repository_name_of_host`, as a part of a pattern.
 */
export const LOCAL_REPOSITORY = String.raw`(?![^/]*\.\.)(?![^/]*\.(?:git|lock)$)[a-z0-9](?:[a-z0-9._-]{0,98}[a-z0-9_-])?`;
