/** What a tool changes: `read` nothing; `write` something, reversibly; `destructive` something, irreversibly. */
export type Access = "read" | "write" | "destructive"
