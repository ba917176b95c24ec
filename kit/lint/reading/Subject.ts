/** Describes the input of rules (a tool or a list of tools), and their findings. */
import type { Access } from "effect-toolguard/internal/domain/tool/Access"
import type { Field } from "./Field.ts"
import type { JsonPointer } from "effect-toolguard/internal/domain/json/JsonPointer"
import type { ListedTool, UnreadableTool } from "./ListedTool.ts"

/** A tool with the facts that rules use. */
export interface Subject {
  readonly tool: ListedTool
  /** The places in the parameters, the outermost first. Empty if the parameters are not an object. */
  readonly fields: ReadonlyArray<Field>
  /** The places in the schema of the result. Empty if the list has no such schema. */
  readonly results: ReadonlyArray<Field>
  /** The words of the tool's name. */
  readonly words: ReadonlyArray<string>
  /**
   * The first word of the name after a prefix that tools of the list share, or the verb of a name like `ticket_search`.
   * Empty if the name has no words.
   */
  readonly firstWord: string
  /** The access that the list declares, otherwise the access that both the name and the description suggest. */
  readonly access: Access | undefined
  /** The number of tokens of the tool's definition in each request. */
  readonly tokens: number
}

/** A list with the facts that rules use. */
export interface AnalysedListing {
  readonly subjects: ReadonlyArray<Subject>
  readonly unreadable: ReadonlyArray<UnreadableTool>
  /** The pointers to the repeated keys in the text. */
  readonly duplicates: ReadonlyArray<JsonPointer>
}

/** A fault of a tool, with its place. */
export interface Fault {
  readonly at: JsonPointer
  readonly message: string
}

/** A finding of a rule. */
export interface FoundProblem {
  readonly tool: ListedTool | undefined
  readonly pointer: JsonPointer
  /** One line that states the fault and the remedy. */
  readonly message: string
}
