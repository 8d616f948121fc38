/**
 * Walks over the texts of a document in place: the parts of `visitRequestText` and `visitResultText` that every format
 * needs. Nothing here recurses, so that a document's depth cannot exhaust the stack; the strings of an object come
 * before those of the objects inside it.
 */
import type { TextVisitor } from '../completion/text-span.ts'
import { isContainer, isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import { fieldNameOf, PendingContainers, type Held } from './field-name-of.ts'
import { renameFields } from './field-names.ts'
import { rewriteJsonStrings } from './json-strings.ts'
import {
  DATA_FIELDS,
  isMedia,
  isOpaque,
  LEAF_NAMES,
  mediaTypeOf,
  sealedKey,
  seesAll,
  type IsHidden,
} from './opaque-text.ts'
import { ANY_NAME, PARAMETER, type NameRules, type TextPlace } from './text-place.ts'
import {
  rewriteAddress,
  rewriteBase64,
  rewriteBeside,
  rewriteDataUrl,
  rewriteFile,
  rewriteHeadOnly,
  type Rewrite,
} from './text-media.ts'

/** Of unknown fields. */
const UNKNOWN: NameRules = { known: LEAF_NAMES }

/** Visits texts and remembers whether one of them was changed. One walk per document. */
export class TextWalk {
  readonly #visit: TextVisitor
  #changed = false

  constructor(visit: TextVisitor) {
    this.#visit = visit
  }

  /** Whether the visitor has changed a text so far. */
  get changed(): boolean {
    return this.#changed
  }

  /** Visits `holder[field]` where it is a string that is not empty. */
  text(holder: JsonObject, field: string, place: TextPlace): void {
    const text = holder[field]
    if (typeof text === 'string') this.#put(holder, field, text, this.#rewrite(text, place))
  }

  /** Visits a text, and where something else stands in its place, all of that. */
  textOrAll(holder: JsonObject, field: string, place: TextPlace): void {
    if (typeof holder[field] === 'string') this.text(holder, field, place)
    else this.all(holder, field, place)
  }

  /** Visits what `holder[field]` holds in base64. @see rewriteBase64 */
  base64(holder: JsonObject, field: string, mediaType: JsonValue | undefined, place: TextPlace): void {
    const type = typeof mediaType === 'string' ? mediaType : ''
    this.#media(holder, field, place, (data, rewrite) => rewriteBase64(data, type, rewrite))
  }

  /** Visits a file of this name. @see rewriteFile */
  file(holder: JsonObject, field: string, name: JsonValue | undefined, place: TextPlace): void {
    this.#media(holder, field, place, (data, rewrite) =>
      rewriteFile(data, typeof name === 'string' ? name : '', rewrite),
    )
  }

  /** Visits where media is, or a list of that. @see rewriteAddress */
  address(holder: JsonObject, field: string, place: TextPlace): void {
    const list = holder[field]
    if (!Array.isArray(list) || !list.every((item) => typeof item === 'string')) {
      return this.#media(holder, field, place, rewriteAddress)
    }
    const rewritten = list.map((url) => rewriteAddress(url, (text) => this.#rewrite(text, place)))
    if (rewritten.some((url, index) => url !== list[index])) this.#changed = true
    holder[field] = rewritten
  }

  /** The same, where an id may stand as well. */
  reference(holder: JsonObject, field: string, place: TextPlace): void {
    this.#media(holder, field, place, (text, rewrite) => (isOpaque(field, text) ? text : rewriteAddress(text, rewrite)))
  }

  #media(
    holder: JsonObject,
    field: string,
    place: TextPlace,
    rewriteIn: (text: string, rewrite: Rewrite) => string,
  ): void {
    const text = holder[field]
    if (typeof text !== 'string') return this.all(holder, field, place)
    this.#put(
      holder,
      field,
      text,
      rewriteIn(text, (inner) => this.#rewrite(inner, place)),
    )
  }

  /** Visits the names and string values inside JSON text, decoded; other text as it is. */
  json(holder: JsonObject, field: string, place: TextPlace): void {
    const text = holder[field]
    if (typeof text !== 'string') return
    const rewritten = rewriteJsonStrings(text, (decoded, isName, { key, siblings, fieldName }) =>
      isName
        ? this.#rewriteName(decoded, place, ANY_NAME)
        : this.#rewriteLeaf(mediaTypeOf(siblings), key, decoded, place, seesAll, fieldName),
    )
    this.#put(holder, field, text, rewritten)
  }

  /** Visits the names of the fields of `holder` itself, which is the format's, but for those that it knows. */
  names(holder: JsonObject, known: ReadonlySet<string>, place: TextPlace): void {
    let renamed: Map<string, string> | undefined
    for (const name in holder) if (!known.has(name)) renamed = this.#rename(name, place, UNKNOWN, renamed)
    this.#renameIn(holder, renamed)
  }

  /** Visits the fields of `holder` that its format does not know, in what is otherwise the format's: their names, and what is in them. */
  others(holder: JsonObject, known: ReadonlySet<string>, place: TextPlace): void {
    this.#unknown(holder, known, place, isOpaque)
  }

  /**
   * The same of the request itself, its tools and settings, ids and all: of what a vendor has named, nothing need be sent
   * back there, and a server may make a part of the prompt of it.
   */
  extras(holder: JsonObject, known: ReadonlySet<string>, place: TextPlace): void {
    this.#unknown(holder, known, place, isMedia)
  }

  #unknown(holder: JsonObject, known: ReadonlySet<string>, place: TextPlace, isHidden: IsHidden): void {
    let hasOthers = false
    const mediaType = mediaTypeOf(holder)
    for (const name in holder) {
      if (known.has(name)) continue
      this.#leaves(holder, name, place, isHidden, mediaType)
      hasOthers = true
    }
    if (hasOthers) this.names(holder, known, place)
  }

  /** As `others`, of the object in `holder[field]`; of what stands in its place, all. */
  othersIn(holder: JsonObject, field: string, known: ReadonlySet<string>, place: TextPlace): void {
    const inner = holder[field]
    if (isJsonObject(inner)) this.others(inner, known, place)
    else if (inner !== undefined) this.all(holder, field, place)
  }

  /** As `extras`, of the object in `holder[field]`; of what stands there in its place, all. */
  extrasIn(holder: JsonObject, field: string, known: ReadonlySet<string>, place: TextPlace): void {
    const inner = holder[field]
    if (isJsonObject(inner)) this.extras(inner, known, place)
    else if (inner !== undefined) this.all(holder, field, place)
  }

  /**
   * Visits every name and string value inside `holder[field]`, whatever its depth, except media, ids, types and signatures.
   * @param mediaType of the holder, where fields of it have been visited already: that may have changed it
   */
  leaves(holder: JsonObject, field: string, place: TextPlace, mediaType = mediaTypeOf(holder)): void {
    this.#leaves(holder, field, place, isOpaque, mediaType)
  }

  /**
   * The same, except media only.
   * @param fieldName of what is there, where `field` does not name it
   */
  all(holder: JsonObject, field: string, place: TextPlace, fieldName = fieldNameOf(holder, field, '')): void {
    this.#leaves(holder, field, place, isMedia, mediaTypeOf(holder), fieldName)
  }

  /** @param mediaType of the holder before any of it was visited, as that may change it */
  #leaves(
    holder: JsonObject,
    field: string,
    place: TextPlace,
    isHidden: IsHidden,
    mediaType = mediaTypeOf(holder),
    fieldName = fieldNameOf(holder, field, ''),
  ): void {
    const root = holder[field]
    if (typeof root === 'string') {
      const key = isHidden === isOpaque ? sealedKey(holder, field) : field
      this.#put(holder, field, root, this.#rewriteLeaf(mediaType, key, root, place, isHidden, fieldName))
    } else this.#inner(root, fieldName, place, isHidden, UNKNOWN)
  }

  #inner(
    root: JsonValue | undefined,
    fieldName: string,
    place: TextPlace,
    isHidden: IsHidden,
    names: NameRules | undefined,
  ): void {
    if (!isContainer(root)) return
    const pending = new PendingContainers()
    pending.add(root, fieldName)
    for (let next = pending.next(); next !== undefined; next = pending.next()) {
      this.#leavesOf(next, place, isHidden, names, pending)
    }
  }

  /** Visits every name and string value inside `holder[field]`, whatever its depth: arguments of a tool, where any field may hold a text. */
  values(holder: JsonObject, field: string, place: TextPlace): void {
    this.#values(holder, field, place, ANY_NAME)
  }

  #values(holder: JsonObject, field: string, place: TextPlace, names: NameRules | undefined): void {
    const root = holder[field]
    if (typeof root === 'string')
      this.#put(holder, field, root, this.#rewriteLeaf(mediaTypeOf(holder), field, root, place, seesAll, field))
    else this.#inner(root, field, place, seesAll, names)
  }

  /**
   * Visits what stands beside the prompt: every string value of these fields. @see TextScope, TextSpan.maxLength
   * @param names absent where all names inside are the format's
   */
  parameters(holder: JsonObject, fields: readonly string[], maxLength?: number, names?: NameRules): void {
    const place = maxLength === undefined ? PARAMETER : { ...PARAMETER, maxLength }
    for (const field of fields) if (holder[field] !== undefined) this.#values(holder, field, place, names)
  }

  /** Visits the strings that stand in `list` itself, except media; adds the containers inside it to `pending`. */
  items(list: JsonValue[], fieldName: string, place: TextPlace, pending: PendingContainers): void {
    this.#items(list, fieldName, place, isMedia, pending)
  }

  /** Visits the strings and names directly inside a container; adds the containers inside it to `pending`. */
  #leavesOf(
    { container, fieldName }: Held,
    place: TextPlace,
    isHidden: IsHidden,
    names: NameRules | undefined,
    pending: PendingContainers,
  ): void {
    if (Array.isArray(container)) return this.#items(container, fieldName, place, isHidden, pending)
    const added = pending.size
    const mediaType = mediaTypeOf(container)
    let renamed: Map<string, string> | undefined
    for (const key in container) {
      const value = container[key]
      if (names !== undefined) renamed = this.#rename(key, place, names, renamed)
      if (isContainer(value)) pending.add(value, fieldNameOf(container, key, fieldName))
      else if (typeof value === 'string') {
        const own = fieldNameOf(container, key, fieldName)
        const sealed = isHidden === isOpaque ? sealedKey(container, key) : key
        this.#put(container, key, value, this.#rewriteLeaf(mediaType, sealed, value, place, isHidden, own))
      }
    }
    pending.turn(added)
    this.#renameIn(container, renamed)
  }

  #items(list: JsonValue[], fieldName: string, place: TextPlace, isHidden: IsHidden, pending: PendingContainers): void {
    const added = pending.size
    for (let index = 0; index < list.length; index++) {
      const value = list[index]
      if (isContainer(value)) pending.add(value, fieldName)
      else if (typeof value === 'string') {
        const rewritten = this.#rewriteLeaf(undefined, '', value, place, isHidden, fieldName)
        if (rewritten !== value) this.#changed = true
        list[index] = rewritten
      }
    }
    pending.turn(added)
  }

  /** Visits a name. @returns `renamed`, with its new one where it has one */
  #rename(
    name: string,
    place: TextPlace,
    rules: NameRules,
    renamed: Map<string, string> | undefined,
  ): Map<string, string> | undefined {
    const rewritten = this.#rewriteName(name, place, rules)
    return rewritten === name ? renamed : (renamed ?? new Map<string, string>()).set(name, rewritten)
  }

  #renameIn(object: JsonObject, renamed: ReadonlyMap<string, string> | undefined): void {
    if (renamed === undefined) return
    this.#changed = true
    renameFields(object, renamed)
  }

  #rewriteName(text: string, { scope, role }: TextPlace, { known, maxLength }: NameRules): string {
    if (text === '' || known.has(text)) return text
    const span = { scope, role, text, isName: true } as const
    return this.#visit(maxLength === undefined ? span : { ...span, maxLength })
  }

  /** A string of which only itself, its field's name and the type beside it say what it is. */
  #rewriteLeaf(
    mediaType: string | undefined,
    key: string,
    text: string,
    place: TextPlace,
    isHidden: IsHidden,
    fieldName: string,
  ): string {
    const rewrite = (inner: string) => this.#rewrite(inner, place, fieldName)
    const isData = mediaType !== undefined && DATA_FIELDS.has(key)
    const document = rewriteDataUrl(text, rewrite) ?? (isData ? rewriteBeside(text, mediaType, rewrite) : undefined)
    return document ?? (isHidden(key, text) ? rewriteHeadOnly(text, rewrite) : rewrite(text))
  }

  #rewrite(text: string, { scope, role, maxLength }: TextPlace, fieldName = ''): string {
    if (text === '') return text
    const named = fieldName === '' ? { scope, role, text } : { scope, role, text, fieldName }
    return this.#visit(maxLength === undefined ? named : { ...named, maxLength })
  }

  #put(holder: JsonObject, key: string, text: string, rewritten: string): void {
    if (rewritten === text) return
    this.#changed = true
    holder[key] = rewritten
  }
}
