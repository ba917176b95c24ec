/** What a tool does to the world: `read` changes nothing, `write` changes it reversibly, `destructive` irreversibly. */
export type Access = "read" | "write" | "destructive"
