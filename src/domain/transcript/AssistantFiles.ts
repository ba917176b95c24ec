/**
 * Moves the files of assistant messages to user messages, for APIs that accept files only there.
 *
 * The files of a message follow it and the results of its calls, in a user message that says where they come from.
 */
import * as Prompt from "effect/ai/Prompt"

/** The text of an assistant message that has only files. */
const onlyFilesText = "[The files of this message follow.]"

/** The text before the files. */
const filesText = "[Files of the assistant's message:]"

const isFile = (part: Prompt.AssistantMessagePart): part is Prompt.FilePart => part.type === "file"

/** Returns the messages with files in user messages only. */
export const move = (messages: ReadonlyArray<Prompt.Message>): ReadonlyArray<Prompt.Message> => {
  const moved: Array<Prompt.Message> = []
  let files: ReadonlyArray<Prompt.FilePart> = []
  const flush = () => {
    if (files.length > 0) moved.push(Prompt.userMessage({ content: [Prompt.textPart({ text: filesText }), ...files] }))
    files = []
  }
  for (const message of messages) {
    if (message.role !== "tool") flush()
    if (message.role !== "assistant" || !message.content.some(isFile)) {
      moved.push(message)
      continue
    }
    files = message.content.filter(isFile)
    const rest = message.content.filter((part) => !isFile(part))
    const isEmpty = rest.every(({ type }) => type === "reasoning")
    moved.push({ ...message, content: isEmpty ? [...rest, Prompt.textPart({ text: onlyFilesText })] : rest })
  }
  flush()
  return moved
}
