/**
 * The tools of a run: those of its toolbox, and `read_result` where something keeps large results.
 *
 * The model is offered `read_result` as soon as the conversation holds a link: before that there is nothing to read, and
 * its description would be paid for in every round. A toolbox that has a tool of that name keeps its own.
 */
import * as ArtifactLink from "#domain/envelope/artifact/ArtifactLink"
import * as ShownPart from "#domain/parts/ShownPart"
import type * as Prompt from "effect/ai/Prompt"
import * as Layer from "effect/Layer"
import type { Guard, GuardedTurn } from "#src/guard/Guard"
import { ReadResult } from "#src/tool/ReadResult"
import type { AnyTool } from "#src/tool/ToolClass"
import * as Toolbox from "#src/tool/Toolbox"

export interface Equipped<Tools extends AnyTool> {
  /** Answers calls of `read_result` too. */
  readonly tools: Toolbox.Toolbox<Tools>
  /** Implements what was added. */
  readonly layer: Layer.Layer<never, never, Guard>
  /** What the model is offered in a round. `from`: the messages before it are as they were in the round before. */
  readonly offered: (transcript: Prompt.Prompt, from: number) => Toolbox.Toolbox<Tools>
}

/** A toolbox with what its run adds to it. */
export const equip = <Tools extends AnyTool>(
  given: Toolbox.Toolbox<Tools>,
  { isKeeping }: Pick<GuardedTurn["Service"], "isKeeping">
): Equipped<Tools> => {
  if (!isKeeping || given.tools.has(ReadResult.toolName)) {
    return { tools: given, layer: Layer.empty, offered: () => given }
  }
  // the caller names its own tools; read_result needs nothing of its own that a caller would have to know
  const tools = Toolbox.merge(given, Toolbox.make(ReadResult) as never) as unknown as Toolbox.Toolbox<Tools>
  let isLinked = false
  return {
    tools,
    layer: ReadResult.layerGuard as Layer.Layer<never, never, Guard>,
    offered: ({ content }, from) => {
      isLinked ||= hasLink(content.slice(from))
      return isLinked ? tools : given
    }
  }
}

const hasLink = (messages: ReadonlyArray<Prompt.Message>): boolean =>
  messages.some(
    (message) =>
      message.role === "tool" &&
      message.content.some(
        (part) =>
          part.type === "tool-result" &&
          ((typeof part.result === "string" && ArtifactLink.isLinked(part.result)) ||
            ShownPart.hasReadable(part.modelOutput ?? []))
      )
  )
