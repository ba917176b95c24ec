/**
 * Type tests: the items that we send and export are accepted by the types of the official `openai` client. This file is
 * only compiled, by `responses.long.test.ts`.
 */
import type { ResponseCreateParams, ResponseInputItem } from "openai/resources/responses/responses"
import type { Settings } from "../../../layers/OpenAiResponses.ts"
import type * as Transcript from "../../../src/domain/transcript/Transcript.ts"

/** A value as JSON has it: without read-only lists. */
type Mutable<A> =
  A extends ReadonlyArray<infer Item>
    ? Array<Mutable<Item>>
    : A extends object
      ? { -readonly [K in keyof A]: Mutable<A[K]> }
      : A

type Extends<A extends B, B> = A

/** The items and parts whose types we know; kept items have the type that the API gave them. */
type Known = Exclude<Transcript.ResponsesItem, { readonly [field: string]: unknown }>

type KnownContent<A> =
  A extends ReadonlyArray<infer Item> ? ReadonlyArray<Exclude<Item, { readonly [field: string]: unknown }>> : A

type WithKnownContent<A> = {
  [K in keyof A]: K extends "content" | "output" ? KnownContent<A[K]> : A[K]
}

type Annotations<A> = A extends { readonly annotations: unknown } ? Omit<A, "annotations"> & { annotations: [] } : A

type Plain<A> = A extends { readonly role: "assistant"; readonly content: ReadonlyArray<infer Content> }
  ? Omit<A, "content"> & { content: ReadonlyArray<Annotations<Content>> }
  : WithKnownContent<A>

type PlainOf<A> = A extends unknown ? Plain<A> : never

/** The items that we send are items of the API. */
export type Item = Extends<Mutable<PlainOf<Known>>, ResponseInputItem>

type Named<A> = { [K in keyof A as string extends K ? never : K]: A[K] }

/** The fields that settings name; further fields are not typed. */
type Fields = Omit<Mutable<Named<Settings>>, "include" | "reasoning" | "text" | "tools">

/** A request of ours is a request of the API. */
export type Request = Extends<
  Fields & { input: Array<Item>; store: false; include: ["reasoning.encrypted_content"] },
  ResponseCreateParams
>
