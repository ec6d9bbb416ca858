using Faster.Devices;

namespace Faster.Tests.Opening;

/// <summary>Options that several forms of store share in a test.</summary>
internal static class FittingOptions
{
    private static readonly StoreOptions Default = new();

    /// <summary>The options without those that a store of that form refuses.</summary>
    public static StoreOptions For(this StoreOptions options, string? folder)
    {
        if (folder is null) options = options with { SegmentSize = Default.SegmentSize };
        if (folder is null || options.Device is not null) options = options with { UnbufferedIO = true };
        return options.Allocator != RecordAllocatorKind.InMemory
            ? options
            : options with
            {
                Device = null, PageSize = default, ReadCacheFraction = Default.ReadCacheFraction,
            };
    }

    /// <summary>The same, of a store without a folder, its log on a device in memory if it has one.</summary>
    public static StoreOptions InMemory(this StoreOptions options) =>
        (options with { Device = options.Device ?? new MemoryDevice() }).For(null);
}
