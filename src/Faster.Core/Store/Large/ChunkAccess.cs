using Faster.Contracts;
using Faster.Log;

namespace Faster;

/// <summary>How a store's log is reached by those who write and read values in chunks.</summary>
internal static class ChunkAccess
{
    /// <summary>The log whose values may lie in chunks; not of a store in memory.</summary>
    public static PagedLog<TProbe> Chunked<TProbe>(this FasterStore<TProbe> store)
        where TProbe : struct, IProbe => (PagedLog<TProbe>)store.Log;

    /// <summary>Begins to write the chunks of a value, of whose key this is the hash.</summary>
    public static ChunkWriter<TProbe> WriteChunks<TProbe>(this FasterStore<TProbe> store, ulong hash)
        where TProbe : struct, IProbe =>
        new(store.Epochs, store.Chunked(), store.Commits.Current.OperationVersion, hash);

    /// <summary>Begins to read the chunks of a value; null when a truncation has taken some of them.</summary>
    public static LargeReader<TProbe>? ReadChunks<TProbe>(this FasterStore<TProbe> store, in LargeHead head)
        where TProbe : struct, IProbe =>
        LargeReader<TProbe>.TryOpen(store.Epochs, store.Chunked(), store.Reader, head);

    /// <summary>Ends when there may be room in the log again.</summary>
    /// <exception cref="StorageException">The log can't be written.</exception>
    public static async Task RoomAsync<TProbe>(this FasterStore<TProbe> store, CancellationToken ct)
        where TProbe : struct, IProbe
    {
        await store.ThrowIfLogFailedAsync(ct).ConfigureAwait(false);
        var room = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        store.Chunked().Park(() => room.TrySetResult());
        if (TProbe.Wait(() => room.Task.IsCompleted)) return;
        await room.Task.WaitAsync(ct).ConfigureAwait(false);
    }
}
