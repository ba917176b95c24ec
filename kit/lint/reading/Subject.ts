/** What rules read, a tool or a list of them, and what they find in it. */
import type { Access } from "effect-toolguard/internal/domain/tool/Access"
import type { Field } from "./Field.ts"
import type { JsonPointer } from "effect-toolguard/internal/domain/json/JsonPointer"
import type { ListedTool, Unreadable } from "./ListedTool.ts"

/** A tool with what all rules ask of it, worked out once. */
export interface Subject {
  readonly tool: ListedTool
  /** Places of the parameters, outermost first; none where they are no schema. */
  readonly fields: ReadonlyArray<Field>
  /** The words of its name. */
  readonly words: ReadonlyArray<string>
  /** The first word of its name after a prefix that tools of the list share; empty where its name has no words. */
  readonly firstWord: string
  /** What it does to the world: as the list says, else as its name and its description both say. */
  readonly access: Access | undefined
  /** Tokens that its definition costs in each request. */
  readonly tokens: number
}

/** A list as rules read it. */
export interface ReadListing {
  readonly subjects: ReadonlyArray<Subject>
  readonly unreadable: ReadonlyArray<Unreadable>
  /** Names that stand twice in one object of the text; the last counts. */
  readonly duplicates: ReadonlyArray<JsonPointer>
}

/** What is wrong with a tool, and where. */
export interface Fault {
  readonly at: JsonPointer
  readonly message: string
}

/** What a rule finds. */
export interface Found {
  readonly tool: ListedTool | undefined
  readonly pointer: JsonPointer
  /** What is wrong and what to write instead, in one line. */
  readonly message: string
}
