/**
 * One change made by repairing a conversation.
 *
 * `message` is the index of the affected message in the original prompt. For `freshIds` it is the index of the part.
 */
export type Change =
  /** A call without a result got a result that reports the call as interrupted. */
  | { readonly _tag: "OrphanCallAnswered"; readonly message: number; readonly callId: string }
  /** A result without a call was removed. */
  | { readonly _tag: "OrphanResultDropped"; readonly message: number; readonly callId: string }
  /** A second result of a call was removed. The first result is kept. */
  | { readonly _tag: "DuplicateResultDropped"; readonly message: number; readonly callId: string }
  /** A result was moved directly after its call. */
  | { readonly _tag: "ResultMoved"; readonly message: number; readonly callId: string }
  /** The results of a round were sorted into the order of its calls. */
  | { readonly _tag: "ResultsReordered"; readonly message: number }
  /** A result in a user or assistant message was moved to a message of the role `tool`. */
  | { readonly _tag: "RoleCorrected"; readonly message: number; readonly callId: string }
  /** An empty part or message was removed, or got a text if it is required. */
  | { readonly _tag: "EmptyContentRemoved"; readonly message: number }
  /** An empty or repeated call id was replaced in the call and its result. */
  | { readonly _tag: "CallIdReplaced"; readonly message: number; readonly callId: string; readonly was: string }
  /** A result without a value became `null`, because `undefined` cannot be stored. */
  | { readonly _tag: "ResultFilled"; readonly message: number; readonly callId: string }
  /**
   * Images of an `images` list, or of a system message, became parts. Images of a system message follow it in a
   * user message.
   */
  | { readonly _tag: "ImagesMoved"; readonly message: number }
  /** An entry of an `images` list was left out, because it is not an address, a data URL, base64 or a part. */
  | { readonly _tag: "ImageLeftOut"; readonly message: number }
  /** A part of a type that cannot be sent was kept as its JSON text. */
  | { readonly _tag: "PartKeptAsText"; readonly message: number }
  /** Characters of an author's name that the API does not accept were replaced, or the name was cut. */
  | { readonly _tag: "NameReplaced"; readonly message: number; readonly name: string; readonly was: string }
  /** For Anthropic and Responses: the name of an author was removed, because the API has no field for it. */
  | { readonly _tag: "NameLeftOut"; readonly message: number; readonly name: string }
  /** For Anthropic and Responses: invalid characters of a tool name were replaced in the call and its result. */
  | { readonly _tag: "ToolNameReplaced"; readonly message: number; readonly name: string; readonly was: string }
  /**
   * For Anthropic: reasoning without a signature, or a call that another provider ran, was removed. For Responses:
   * reasoning without its item or without the item that must follow it, or the work of a tool that another provider
   * ran, was removed.
   */
  | { readonly _tag: "PartLeftOut"; readonly message: number; readonly part: "reasoning" | "provider call" }
  /** For Anthropic: a system message that followed other messages was moved to the front. */
  | { readonly _tag: "SystemMoved"; readonly message: number }
  /** For Anthropic: a user message was added at the beginning, where the API requires one. */
  | { readonly _tag: "FirstMessageAdded"; readonly message: number }
  /** For Anthropic: white space at the end of the conversation was removed, because its last message is an assistant message. */
  | { readonly _tag: "TrailingSpaceRemoved"; readonly message: number }
  /** For Anthropic: `cache_control` marks before the last four were removed. */
  | { readonly _tag: "MarksLeftOut"; readonly message: number }
  /**
   * For Responses: the id of an item was removed, because it is repeated, because the API does not issue such ids, or
   * because the reasoning before it was removed.
   */
  | { readonly _tag: "ItemIdLeftOut"; readonly message: number; readonly id: string }
