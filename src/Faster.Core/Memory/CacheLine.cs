namespace Faster.Memory;

/// <summary>The unit in which processors exchange memory.</summary>
internal static class CacheLine
{
    /// <summary>Its size in bytes.</summary>
    public const int Bytes = 64;
}
