using System.Runtime.CompilerServices;

namespace Faster.Workload;

/// <summary>The value sizes for which engines have a store of their own, with values of a fixed size.</summary>
internal static class FixedValues
{
    /// <summary>The sizes in bytes; 8 is a plain number.</summary>
    public static IReadOnlyList<int> Sizes { get; } = [sizeof(long), 32, 100, 256, 1024];
}

/// <summary>A value of 32 bytes.</summary>
[InlineArray(32)]
internal struct Bytes32
{
    private byte _first;
}

/// <summary>A value of 100 bytes.</summary>
[InlineArray(100)]
internal struct Bytes100
{
    private byte _first;
}

/// <summary>A value of 256 bytes.</summary>
[InlineArray(256)]
internal struct Bytes256
{
    private byte _first;
}

/// <summary>A value of 1,024 bytes.</summary>
[InlineArray(1024)]
internal struct Bytes1024
{
    private byte _first;
}
