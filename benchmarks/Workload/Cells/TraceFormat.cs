namespace Faster.Workload.Cells;

/// <summary>How a trace names its keys.</summary>
internal enum TraceFormat
{
    /// <summary>Unsigned 32-bit numbers, the lowest byte first.</summary>
    U32le,

    /// <summary>Unsigned 32-bit numbers, the highest byte first.</summary>
    U32be,

    /// <summary>Unsigned 64-bit numbers, the lowest byte first.</summary>
    U64le,

    /// <summary>A decimal number in each line.</summary>
    Text,
}
