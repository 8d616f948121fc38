/** The types of YAML as kubectl's parser knows them, where the library's differ. */
import type { ScalarTag, Tags } from 'yaml'

/** Types of YAML 1.1 that kubectl's parser does not have, or turns back into text. */
const NOT_IN_KUBECTL: ReadonlySet<string> = new Set([
  'tag:yaml.org,2002:timestamp',
  'tag:yaml.org,2002:binary',
  'tag:yaml.org,2002:omap',
  'tag:yaml.org,2002:pairs',
  'tag:yaml.org,2002:set',
])

/** Octal as YAML 1.2 writes it, which kubectl's parser knows as well. */
const OCTAL: ScalarTag = {
  tag: 'tag:yaml.org,2002:int',
  default: true,
  test: /^[-+]?0o[0-7]+$/,
  resolve: (text) => (text.startsWith('-') ? -1 : 1) * Number.parseInt(text.replace(/^[-+]?0o/, ''), 8),
}

/** `e2`, `-E5`, `.`: numbers without a digit before the exponent, which only this library knows. */
const TEXT_LIKE_A_FLOAT: ScalarTag = {
  tag: 'tag:yaml.org,2002:str',
  default: true,
  test: /^[-+]?(?:\.(?:_[0-9_]*)?(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)$/,
  resolve: (text) => text,
}

/** For the library: those of YAML 1.1 that it has, without what kubectl does not know, with what it knows. */
export function kubectlTags(tags: Tags): Tags {
  const known = tags.filter((tag) => typeof tag === 'string' || !(NOT_IN_KUBECTL.has(tag.tag) || tag.format === 'TIME'))
  return [OCTAL, TEXT_LIKE_A_FLOAT, ...known]
}
