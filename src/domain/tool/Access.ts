/**
 * What a tool changes: a `read` changes nothing, a `write` can be undone, and a `destructive` call cannot be undone.
 */
export type Access = "read" | "write" | "destructive"
