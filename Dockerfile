# The image of every process: sidecar, operator, demo provider. Its arguments are tollgate's own: `docker run IMAGE sidecar --help`.
#
#     docker build -t tollgate:0.1.0 --build-arg VERSION=0.1.0 --build-arg REVISION=$(git rev-parse HEAD) .
#
# Without a container engine: `make image` builds the two last stages from this same file (build/image).
ARG NODE_IMAGE=docker.io/library/node:26-slim
# No shell, no package manager. Any image with Node 26 and glibc or musl will do.
ARG RUNTIME_IMAGE=gcr.io/distroless/nodejs26-debian13

FROM ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json ./
# esbuild's program comes as a package: no script of a package needs to run.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY LICENSE ./
COPY build build
COPY crds crds
COPY src src
RUN node build/image-root.ts /image/app && mkdir /image/compile-cache && chmod -R a+rX /image

FROM ${RUNTIME_IMAGE}
# Distroless keeps node in /nodejs/bin.
ENV PATH=/nodejs/bin:/usr/local/bin:/usr/bin:/bin \
    NODE_ENV=production \
    NODE_COMPILE_CACHE=/app/.compile-cache \
    MALLOC_ARENA_MAX=1 \
    MALLOC_MMAP_THRESHOLD_=8192
WORKDIR /app
COPY --from=build /image/app /app
COPY --from=build --chown=64100:64100 /image/compile-cache /app/.compile-cache
# A number, so that `runAsNonRoot` can be checked without a password file.
USER 64100:64100
# What V8 has compiled stays in the image: a sidecar starts a quarter faster. Another user, processor or Node
# starts without it, and so do other flags than these.
RUN ["node", "--v8-pool-size=3", "--concurrent-maglev-max-threads=3", "--concurrent-marking-max-worker-num=1", "--min-semi-space-size=8", "--max-semi-space-size=8", "--minimum-invocations-after-ic-update=200", "--memory-reducer-delay-ms=300000", "/app/dist/tollgate.mjs", "sidecar", "--help"]
RUN ["node", "--v8-pool-size=3", "--concurrent-maglev-max-threads=3", "--concurrent-marking-max-worker-num=1", "--min-semi-space-size=8", "--max-semi-space-size=8", "--minimum-invocations-after-ic-update=200", "--memory-reducer-delay-ms=300000", "/app/dist/tollgate.mjs", "operator", "--help"]
# - The young heap and malloc's arenas stay small. Blocks of 8 KiB and more, which are the compiler's above all, go back to the system
#   when they are free: without a fixed threshold malloc keeps ever larger ones.
# - Three threads for what V8 does beside the program, all of which may compile: jobs that wait for a thread hold their memory, and
#   hundreds come at once with the first requests. With the threshold 10 MiB less of 200 streams, at the same speed. One of them may
#   mark the old heap: where a sidecar has one core, each more takes it, for a tenth of a second at every full collection, from the
#   streams that wait. (One thread for all is kept too busy to give memory back in time: 10 to 30 MiB more. None for marking: 45 MiB more.)
# - V8 optimizes a function when it has met nothing new in 200 calls, not 500: the first four thousand requests take a fifth more of
#   the processor, those up to the twentieth thousand a fifth less. Of 100, what is optimized too early is thrown away again.
# - What a burst has left behind is given back after 5 minutes of quiet (30 to 40 MiB), not after 8 seconds: a full collection while no
#   request is under way throws away what V8 has optimized for requests, too, and the next thousands take two to three times as long.
ENTRYPOINT ["node", "--v8-pool-size=3", "--concurrent-maglev-max-threads=3", "--concurrent-marking-max-worker-num=1", "--min-semi-space-size=8", "--max-semi-space-size=8", "--minimum-invocations-after-ic-update=200", "--memory-reducer-delay-ms=300000", "/app/dist/tollgate.mjs"]
CMD ["--help"]
EXPOSE 4142

ARG VERSION=0.0.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="tollgate" \
      org.opencontainers.image.description="Governance gateway for LLM traffic: sidecar and operator" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
