await import("effect/schema/SchemaJITCompiler/enable")
const { guarded } = await import("./variants.ts")
const v = guarded("JIT").find((x) => x.name.includes(process.argv[2]!))!
await v.loop(5000)
const s = performance.now()
await v.loop(200000)
console.log(v.name, (performance.now() - s) / 200, "us")
process.exit(0)
