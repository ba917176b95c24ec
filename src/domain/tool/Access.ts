/** What a tool does to the world: `read` nothing, `write` something that can be mended, `destructive` what cannot. */
export type Access = "read" | "write" | "destructive"
