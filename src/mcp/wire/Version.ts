/** The versions of the protocol that are spoken, and what a request says of itself where there is no session. */
import type { JsonObject } from "#domain/json/JsonObject"

/** Versions with `initialize`, newest first. */
export const withSession = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const

/** The version in which every request stands for itself. */
export const stateless = "2026-07-28"

export const all: ReadonlyArray<string> = [stateless, ...withSession]

/** The version from which results may hold links to resources. */
export const links = "2025-06-18"

export interface Program {
  readonly name: string
  readonly version: string
}

/** What each request of the stateless version holds in `_meta`. */
export const meta = (clientInfo: Program): JsonObject => ({
  "io.modelcontextprotocol/protocolVersion": stateless,
  "io.modelcontextprotocol/clientInfo": clientInfo,
  "io.modelcontextprotocol/clientCapabilities": {}
})
