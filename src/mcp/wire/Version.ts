/** The supported protocol versions, and the metadata of requests without a session. */
import type { JsonObject } from "#domain/json/JsonObject"

/** Versions with `initialize`, newest first. */
export const withSession = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const

/** The stateless version, in which each request is independent. */
export const stateless = "2026-07-28"

export const all: ReadonlyArray<string> = [stateless, ...withSession]

/** The first version whose results may contain links to resources. */
export const links = "2025-06-18"

export interface Program {
  readonly name: string
  readonly version: string
}

/** Returns the `_meta` of each request in the stateless version. */
export const meta = (clientInfo: Program): JsonObject => ({
  "io.modelcontextprotocol/protocolVersion": stateless,
  "io.modelcontextprotocol/clientInfo": clientInfo,
  "io.modelcontextprotocol/clientCapabilities": {}
})
