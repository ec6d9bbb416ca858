using Faster.Workload.Engines;
using Faster.Workload;
using Faster.Ycsb.Engines.Values;

namespace Faster.Ycsb.Engines;

/// <summary>Opens generated stores of any shape: in memory, or with a budget over a folder.</summary>
/// <param name="name">One of <see cref="StoreNames"/>: how they are used.</param>
internal sealed class StoreEngineSource(string name) : IEngineSource
{
    private readonly bool _batches = name == StoreNames.Batch;
    private readonly bool _appends = name == StoreNames.Append;
    private readonly bool _merges = name == StoreNames.Merging;
    private readonly bool _isOfWords =
        name is StoreNames.Prefetch or StoreNames.Expiring or StoreNames.Beside or StoreNames.Populated;

    /// <inheritdoc/>
    public string Name => name;

    /// <inheritdoc/>
    public string? Refuses(EngineShape shape)
    {
        if (_appends && shape.MemoryBytes is null)
            return "a log that is only appended to needs a budget: --memory";
        if (_isOfWords && shape is not { ValueBytes: sizeof(long), MemoryBytes: null })
            return "it is for values of 8 bytes in memory";
        if (_merges && shape is not { ValueBytes: 100, MemoryBytes: not null })
            return "it is for values of 100 bytes and data larger than memory: --memory";
        return _batches && !FixedValues.Sizes.Contains(shape.ValueBytes)
            ? $"its batches are of values of {string.Join(", ", FixedValues.Sizes)} bytes"
            : null;
    }

    /// <inheritdoc/>
    public async Task<IEngine> OpenAsync(string folder, EngineShape shape)
    {
        if (shape is { ValueBytes: sizeof(long), MemoryBytes: null, IndexBytes: { } indexBytes })
            return await LimitedIndex.OpenAsync(shape.Keys, indexBytes, name);
        if (shape is { ValueBytes: sizeof(long), MemoryBytes: null })
            return await Faster.Workload.Engines.StoreEngine.OpenAsync(shape.Keys, name);
        string? path = shape.MemoryBytes is null ? null : folder;
        StoreOptions options = ValueOptions.Of(shape);
        if (_appends)
            options = options with { Allocator = RecordAllocatorKind.AppendOnly };
        if (_merges)
            return await MergingValues100.OpenEngineAsync(path, options, batchLength: 1);
        // A batch that waits for the disk should give it as much to do as a session of single calls may.
        int length = !_batches ? 1 : path is null ? StoreNames.BatchLength : ValueOptions.MaxPending;
        return shape.ValueBytes switch
        {
            8 => await Values8.OpenEngineAsync(path, options, length),
            32 => await Values32.OpenEngineAsync(path, options, length),
            100 => await Values100.OpenEngineAsync(path, options, length),
            256 => await Values256.OpenEngineAsync(path, options, length),
            1024 => await Values1024.OpenEngineAsync(path, options, length),
            _ => await Blobs.OpenEngineAsync(path, options, shape.ValueBytes),
        };
    }
}
