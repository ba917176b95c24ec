/**
 * Derives the access of a tool from its annotations.
 *
 * The defaults are those of the MCP specification: without annotations, a tool may write and destroy. Annotations are
 * claims of the server: state the access of tools whose server you do not trust.
 */
import type { Access } from "#domain/tool/Access"
import type { JsonObject } from "#domain/json/JsonObject"

/** Returns `read` for `readOnlyHint: true`, `write` for `destructiveHint: false`, and `destructive` otherwise. */
export const accessOf = ({ destructiveHint, readOnlyHint }: JsonObject): Access =>
  readOnlyHint === true ? "read" : destructiveHint === false ? "write" : "destructive"
