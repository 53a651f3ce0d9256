"""What plugins for models behind an HTTP API share: their settings, requests with retries, a cache on disk, generated contexts."""

from __future__ import annotations

from pydantic import Field, field_validator

from hierdoc.plugin import HeaderSecret, IndexPath, Operational, ProviderConfig, server_url


class RemoteConfig(ProviderConfig):
    """Where the API is, and how patiently it is asked."""

    base_url: Operational[str] = Field(
        description="The API, with its version, as in https://host/v1."
    )
    api_key: Operational[HeaderSecret | None] = Field(
        None, description="The key, as in `${API_KEY}`; null for a server that asks for none."
    )
    timeout: Operational[float] = Field(
        60, gt=0, description="Seconds that the server may take for one request."
    )
    retries: Operational[int] = Field(
        6,
        ge=0,
        le=20,
        description="Further attempts where the server is busy, fails or does not answer; the pause doubles from half a second, "
        "or is what the server asks for.",
    )
    cache_path: IndexPath = Field(
        default=None,
        validate_default=True,
        description="Folder for what was paid for; null is the index's own.",
    )

    @field_validator("base_url")
    @classmethod
    def _plain_url(cls, url: str) -> str:
        return server_url(url).rstrip("/")
