/**
 * What repairing a conversation changed, one value a change: data for a log, a record or a person.
 *
 * `message` is the index of the message concerned in the prompt that was repaired (for `freshIds`, of the part).
 */
export type Change =
  /** A call that nobody answered got a result that says so. */
  | { readonly _tag: "OrphanCallAnswered"; readonly message: number; readonly callId: string }
  /** A result that belongs to no call was left out. */
  | { readonly _tag: "OrphanResultDropped"; readonly message: number; readonly callId: string }
  /** A second result of a call was left out; the first stands. */
  | { readonly _tag: "DuplicateResultDropped"; readonly message: number; readonly callId: string }
  /** A result that stood apart from its call was put behind it. */
  | { readonly _tag: "ResultMoved"; readonly message: number; readonly callId: string }
  /** The results of a round were put into the order of its calls. */
  | { readonly _tag: "ResultsReordered"; readonly message: number }
  /** A result that a user or assistant message held became one of the role `tool`. */
  | { readonly _tag: "RoleCorrected"; readonly message: number; readonly callId: string }
  /** An empty part or message was left out, or filled where it must stand. */
  | { readonly _tag: "EmptyContentRemoved"; readonly message: number }
  /** An empty or repeated call id was replaced in the call and its result. */
  | { readonly _tag: "CallIdReplaced"; readonly message: number; readonly callId: string; readonly was: string }
  /** A result without a value became `null`: it could not be stored and read again. */
  | { readonly _tag: "ResultFilled"; readonly message: number; readonly callId: string }
  /** For Anthropic: a tool name got the letters that it takes, in call and result. */
  | { readonly _tag: "ToolNameReplaced"; readonly message: number; readonly name: string; readonly was: string }
  /** For Anthropic: reasoning without its signature, or a call that another provider ran, was left out. */
  | { readonly _tag: "PartLeftOut"; readonly message: number; readonly part: "reasoning" | "provider call" }
  /** For Anthropic: a system message stood behind others and went to the front. */
  | { readonly _tag: "SystemMoved"; readonly message: number }
  /** For Anthropic: the conversation did not begin with a user message, so one was put there. */
  | { readonly _tag: "FirstMessageAdded"; readonly message: number }
  /** For Anthropic: white space at the end of a last assistant message was left out. */
  | { readonly _tag: "TrailingSpaceRemoved"; readonly message: number }
  /** For Anthropic: marks for the cache were left out, since it takes four; the latest stand. */
  | { readonly _tag: "MarksLeftOut"; readonly message: number }
