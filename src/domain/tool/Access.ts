/**
 * What a tool changes: a `read` changes nothing, a `write` can be undone, and a `destructive` call cannot be undone.
 */
export type Access = "read" | "write" | "destructive"

/**
 * Who stated the access of a tool: its `owner` (the definition, a policy, a configuration), or a `server` (hints,
 * an HTTP method, or the lack of both).
 */
export type AccessBy = "owner" | "server"
