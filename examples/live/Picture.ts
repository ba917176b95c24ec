/** Draws a picture of a plant, as a PNG of 64 by 64 pixels, so that the example needs no file. */
import { crc32, deflateSync } from "node:zlib"

const size = 64

/** Returns the palette index of a pixel: background, leaf or pot. */
const shadeAt = (x: number, y: number): number => {
  const pot = y > 44 && y < 60 && Math.abs(x - 32) < 15 - (y - 44) / 4
  if (pot) return 2
  const leaf = [-22, -12, 0, 12, 22].some((lean, index) => {
    const height = 40 - Math.abs(lean) / 2
    const t = (44 - y) / height
    const middle = 32 + lean * t * t
    return t > 0 && t < 1 && Math.abs(x - middle) < 4.5 * Math.sin(Math.PI * Math.min(1, t + 0.08)) + (index % 2) * 0.6
  })
  return leaf ? 1 : 0
}

const palette = [0xf3, 0xf7, 0xee, 0x2f, 0x7d, 0x4a, 0xb4, 0x65, 0x3a]

const chunk = (type: string, data: Uint8Array): Uint8Array => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data])
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(data.length, 0)
  body.copy(framed, 4)
  framed.writeUInt32BE(crc32(body), body.length + 4)
  return framed
}

const header = Buffer.from([0, 0, 0, size, 0, 0, 0, size, 8, 3, 0, 0, 0])
const rows = Buffer.concat(
  Array.from({ length: size }, (_, y) => Buffer.from([0, ...Array.from({ length: size }, (_, x) => shadeAt(x, y))]))
)

/** The bytes of the PNG file. */
export const picture: Uint8Array = new Uint8Array(
  Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from(palette)),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0))
  ])
)
