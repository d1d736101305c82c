# Castellan as a static program on an empty base: nothing else is in the image
# but the certificates by which it knows Discord. docs/host/installing.md shows how to
# run it.
#
#   docker build --build-arg VERSION=1.2.3 -t castellan .
#   docker buildx build --platform linux/amd64,linux/arm64 --build-arg VERSION=1.2.3 -t castellan .
#
# The program is built on the machine's own processor for the image's.
# The digest is that of golang:1.26.8 for all platforms. To update it:
#   docker buildx imagetools inspect golang:1.26.9
FROM --platform=$BUILDPLATFORM golang:1.26.8@sha256:0f063af2d465d8dcae54cce04278ada488b96f77b42449c8d071e47d016cc65a AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=
ARG REVISION=
ARG TARGETOS TARGETARCH
RUN GOOS=$TARGETOS GOARCH=$TARGETARCH .ci/build /out/castellan "$VERSION" "$REVISION"
# The folders that an empty base lacks; a volume takes over their owner.
RUN mkdir -p /out/data /out/tmp && chmod 1777 /out/tmp
# What holds unless a configuration is put in its place: health can be asked for
# inside the container, and nowhere else.
RUN printf '[http]\nlisten = "127.0.0.1:9464"\n' > /out/castellan.toml

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /out/tmp /tmp
COPY --from=build --chown=65532:65532 /out/data /data
COPY --from=build /out/castellan /castellan
COPY --from=build /out/castellan.toml /etc/castellan.toml
COPY LICENSE docs/reference/licenses.md /
# The configuration of run and of health.
ENV CASTELLAN_CONFIG=/etc/castellan.toml
# A user without a name and without rights. Everything to be kept is in /data.
USER 65532:65532
WORKDIR /data
VOLUME /data
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s --retries=3 CMD ["/castellan", "health"]
ENTRYPOINT ["/castellan"]
CMD ["run"]
