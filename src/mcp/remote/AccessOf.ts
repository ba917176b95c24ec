/**
 * The access of a tool by its annotations.
 *
 * The defaults are those of the MCP specification: without annotations a tool may write and destroy. Annotations are claims of
 * the server: state the access of tools whose server you do not trust.
 */
import type { Access } from "#domain/tool/Access"
import type { JsonObject } from "#domain/json/JsonObject"

/** `readOnlyHint`: read. Else `destructiveHint: false`: write. Else destructive. */
export const accessOf = ({ destructiveHint, readOnlyHint }: JsonObject): Access =>
  readOnlyHint === true ? "read" : destructiveHint === false ? "write" : "destructive"
