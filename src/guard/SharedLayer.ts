/**
 * Creates a layer that is shared only between uses with the same services and policies.
 *
 * **Details**
 *
 * Effect builds a layer once per program, from the context of its first use. A second use with another policy would get
 * a guard that ignores that policy. This layer is therefore built once for each combination of services and policies.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** A node of a tree. The values of the keys are the path to the node, and `layer` is the layer for these values. */
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

/** Returns a layer that calls `make` once for each combination of the values that the context has for the keys. */
export const sharedBy = <A, E, R>(keys: ReadonlyArray<Key>, make: () => Layer.Layer<A, E, R>): Layer.Layer<A, E, R> => {
  const root = emptyNode<A, E, R>()
  // `fresh` reads the context again for each use
  const currentContext = Layer.fresh(Layer.effectContext(Effect.context<R>()))
  return Layer.flatMap(currentContext, (context) => {
    const values = keys.map((key) => Context.getOrUndefined(context, key))
    const node = values.reduce<Node<A, E, R>>(childOf, root)
    node.layer ??= make()
    return node.layer
  })
}
