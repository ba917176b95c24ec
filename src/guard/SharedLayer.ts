/**
 * A layer that is shared only by those who give it the same services and policies.
 *
 * **Details**
 *
 * Effect builds a layer once per program, with what its first user gave it. A guard that a second user gives another policy would
 * ignore that policy. So this layer stands for many: one for each combination of what it is given.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** The layers whose first services and policies are those on the path to this node. */
interface Node<A, E, R> {
  readonly byObject: WeakMap<object, Node<A, E, R>>
  readonly byValue: Map<unknown, Node<A, E, R>>
  layer: Layer.Layer<A, E, R> | undefined
}

const emptyNode = <A, E, R>(): Node<A, E, R> => ({ byObject: new WeakMap(), byValue: new Map(), layer: undefined })

const isObject = (value: unknown): value is object =>
  (typeof value === "object" && value !== null) || typeof value === "function"

const childOf = <A, E, R>({ byObject, byValue }: Node<A, E, R>, value: unknown): Node<A, E, R> => {
  const known = isObject(value) ? byObject.get(value) : byValue.get(value)
  if (known !== undefined) return known
  const child = emptyNode<A, E, R>()
  if (isObject(value)) byObject.set(value, child)
  else byValue.set(value, child)
  return child
}

/** A key of a service or a policy. */
type Key = Context.Key<unknown, unknown>

/** The layer that `make` creates, once for each combination of values that its context has at the keys. */
export const sharedBy = <A, E, R>(keys: ReadonlyArray<Key>, make: () => Layer.Layer<A, E, R>): Layer.Layer<A, E, R> => {
  const root = emptyNode<A, E, R>()
  // built anew for each user, because `fresh` is not shared
  const given = Layer.fresh(Layer.effectContext(Effect.context<R>()))
  return Layer.flatMap(given, (context) => {
    const values = keys.map((key) => Context.getOrUndefined(context, key))
    const node = values.reduce<Node<A, E, R>>(childOf, root)
    node.layer ??= make()
    return node.layer
  })
}
