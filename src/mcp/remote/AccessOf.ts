/**
 * How risky a tool is, by what it says of itself.
 *
 * The defaults are the specification's: a tool that says nothing may change something, and destroy it. Hints are claims of the
 * server: whoever does not trust it says the access of a tool himself.
 */
import type { Access } from "#domain/tool/Access"
import type { JsonObject } from "#domain/json/JsonObject"

/** `readOnlyHint`: read. Else `destructiveHint: false`: write. Else destructive. */
export const accessOf = ({ destructiveHint, readOnlyHint }: JsonObject): Access =>
  readOnlyHint === true ? "read" : destructiveHint === false ? "write" : "destructive"
