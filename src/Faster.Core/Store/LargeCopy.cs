using System.Buffers;
using Faster.Contracts;
using Faster.Log;

namespace Faster;

/// <summary>Copies a value that lies in chunks to the tail of the log, for a record that is to move there.</summary>
/// <remarks>
/// One chunk is in memory at a time, and the places of all: 16 bytes for each. What has been copied is nobody's until a
/// record with the new head is linked; the old chunks go with their part of the log.
/// </remarks>
internal static class LargeCopy
{
    /// <summary>Copies.</summary>
    /// <param name="store">The store.</param>
    /// <param name="head">What the record holds.</param>
    /// <param name="ct">Gives the copy up.</param>
    /// <returns>
    /// What the new record is to hold, with the bit <see cref="RecordHeader.Large"/> in its header; null when the log
    /// has been truncated above a part of the value.
    /// </returns>
    /// <exception cref="DamagedDataException">A chunk is damaged.</exception>
    /// <exception cref="StorageException">The disk can't be read or written.</exception>
    public static async Task<LargeHead?> ToTailAsync<TProbe>(
        FasterStore<TProbe> store, LargeHead head, CancellationToken ct)
        where TProbe : struct, IProbe
    {
        using LargeReader<TProbe>? reader = store.ReadChunks(head);
        if (reader is null) return null;
        var chunks = new List<ChunkPlace>();
        while (reader.Left > 0)
        {
            chunks.Add(reader.Next);
            await reader.ReadNextAsync(default).ConfigureAwait(false);
        }

        byte[] buffer = new byte[chunks.Max(static chunk => chunk.Length)];
        using ChunkWriter<TProbe> writer = store.WriteChunks();
        for (int i = chunks.Count - 1; i >= 0; i--)
        {
            int length = chunks[i].Length;
            _ = await reader.ReadAsync(chunks[i], buffer.AsMemory(0, length)).ConfigureAwait(false);
            while (length > 0)
            {
                ct.ThrowIfCancellationRequested();
                int taken = writer.TryPrepend(new ReadOnlySequence<byte>(buffer, 0, length));
                if (taken == 0) await store.RoomAsync(ct).ConfigureAwait(false);
                length -= taken;
            }
        }

        return writer.Head;
    }
}
