import { readFileSync } from 'node:fs'
import { api } from './api.js'
import * as wasm from './plain.js'

wasm.initSync({ module: readFileSync(new URL('./plain_bg.wasm', import.meta.url)) })

export const { links, linkify, match, matchAtStart, pretest, test } = api(wasm)
