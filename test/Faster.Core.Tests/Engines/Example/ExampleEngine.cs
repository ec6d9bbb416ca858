using Faster.Contracts;
using Faster.Memory;

namespace Faster.Tests.Engines.Example;

/// <summary>
/// A small engine for those who write one: a tree of records in the order of their keys, in memory, under one latch. It
/// has scans, and a capability of its own, <see cref="IOrderedStore{TRecord}"/>.
/// </summary>
[Engine(typeof(ExampleStore<,>), typeof(ExampleSession), typeof(ExampleOptions))]
public static class ExampleEngine
{
    /// <summary>Opens an empty store.</summary>
    public static ValueTask<TStore> OpenAsync<TStore>(
        ExampleOptions? options, RecordSchema schema, Func<OrderedRecords, TStore> make,
        CancellationToken cancellationToken)
        where TStore : ExampleStore
    {
        if (cancellationToken.IsCancellationRequested) return ValueTask.FromCanceled<TStore>(cancellationToken);
        options ??= new ExampleOptions();
        options.Validate();
        ProcessMemory.Own.ThrowIfBelow(options.MemoryBudget, nameof(ExampleOptions));
        return new(make(new OrderedRecords(options, schema)));
    }
}
