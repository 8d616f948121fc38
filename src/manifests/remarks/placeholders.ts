/** Texts of a Secret that stand for a key and are none. No vendor's key looks so, and its refusal of one would not say why. */

/** Variables as others write them: shells, Kubernetes' args, Windows; Compose and Actions; templates. All of the text, or of what follows `Bearer`. */
const OTHER_VARIABLES: readonly RegExp[] = [
  /^\$([A-Z]+(?:_[A-Z0-9]+)+|[a-z][a-z0-9]*(?:_[a-z0-9]+)*_(?:key|token|secret))$/,
  /^\$\(([A-Z][A-Z0-9_]*)\)$/,
  /^%([A-Z][A-Z0-9_]*)%$/,
  /^\$\{\s+([A-Za-z_]\w*)\s*\}$|^\$\{([A-Za-z_]\w*)\s+\}$/,
  /^\$\{([A-Za-z_]\w*)$/,
  /^\$\{(?:env|ENV)[:.]\s*([A-Za-z_]\w*)\}$/,
  /^\$?\{\{\s*(?:\w+\.|\.)*([A-Za-z_]\w*)\s*\}\}$/,
]
/** `$NAME` of any letters. No vendor's key begins with `$`, one of somebody's own may: it is not shown, and random ones are left. */
const SHELL_NAME = /^\$([A-Za-z_]\w{0,63})$/
/** Digits before letters: a name has one or two such places (`s3_key`, `OAUTH2TOKEN`), random characters have many, or both cases. */
const INNER_DIGITS = /\d+(?=[A-Za-z])/g
const OF_OWN = 'a key that is such a text is written under data'
const WITH_DEFAULT = /^\$\{([A-Za-z_]\w*):?[-?+=].*\}$/
const TEMPLATE = /^\$?\{\{.*\}\}$/
/** `<your-key>`, `sk-...`, `sk-…4f2a`, `sk-***`: as documents write them, and consoles show them. Not `your-api-key`: servers that want none take any. */
const BLANKS = /^<[A-Za-z][\w .'/-]*>$|^[\w-]*(?:\.{3,}|…|\*{3,})\w{0,4}$/
/** As a file may say it. In the environment nothing replaces it: whoever set it reads files of variables as they stand. */
const VARIABLE = /^\$\{[A-Za-z_]\w*\}$/
const QUOTED = /^(["']).*\1$/s

/** Why the text is no key: `a variable is written ${X} here, not $X`. Undefined: it may be one. */
export function placeholderIn(text: string): string | undefined {
  const { written, bare } = partsOf(text)
  const name = variableIn(bare)
  if (name !== undefined) return `a variable is written \${${name}} here, not ${written}`
  if (isShellVariable(bare)) return `it is taken for a variable of a shell, which is written \${NAME} here; ${OF_OWN}`
  const defaulted = WITH_DEFAULT.exec(bare)?.[1]
  if (defaulted !== undefined) return `a variable has no default here, it is written \${${defaulted}}`
  if (TEMPLATE.test(bare)) return 'it is a template that nothing has filled in'
  if (BLANKS.test(bare)) return 'it is a placeholder, not a key'
  return QUOTED.test(written) && written.length > 1 ? 'it is in quotes, which would be part of it' : undefined
}

/** What a variable of the environment holds in a key's place, without its text; undefined: it may be a key. */
export function noKeyIn(held: string): string | undefined {
  const { written, bare } = partsOf(held)
  if (placeholderIn(held) === undefined && !VARIABLE.test(bare)) return undefined
  if (variableIn(bare) === undefined && isShellVariable(bare))
    return `what is taken for a variable of a shell; ${OF_OWN}`
  return /^["']/.test(written) ? 'a key in quotes, which would be part of it' : 'a placeholder, not a key'
}

function partsOf(text: string): { readonly written: string; readonly bare: string } {
  // As a block of YAML ends, a key may with a line.
  const written = text.trim()
  return { written, bare: written.replace(/^Bearer\s+/i, '') }
}

function variableIn(text: string): string | undefined {
  for (const form of OTHER_VARIABLES) {
    const name = form
      .exec(text)
      ?.slice(1)
      .find((group) => group !== undefined)
    if (name !== undefined) return name
  }
  return undefined
}

function isShellVariable(text: string): boolean {
  const name = SHELL_NAME.exec(text)?.[1]
  if (name === undefined) return false
  const inner = name.match(INNER_DIGITS)?.length ?? 0
  const isMixed = /[a-z]/.test(name) && /[A-Z]/.test(name)
  return inner < (isMixed ? 1 : 3)
}
