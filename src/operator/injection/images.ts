/** Which images a sidecar may have: those of the installation's repository, in any version, and those that a pattern names. */

/** Any version, because pods that run keep theirs when the installation is upgraded. */
export function allowedImages(image: string, mayUseImage: (image: string) => boolean): (image: string) => boolean {
  const repository = repositoryOf(image)
  return (other) => repositoryOf(other) === repository || mayUseImage(other)
}

/** Without tag and digest: `registry:5000/tollgate:1@sha256:...` is of `registry:5000/tollgate`. */
export function repositoryOf(image: string): string {
  const [named = ''] = image.split('@')
  const slash = named.lastIndexOf('/')
  const colon = named.indexOf(':', slash + 1)
  return colon < 0 ? named : named.slice(0, colon)
}
