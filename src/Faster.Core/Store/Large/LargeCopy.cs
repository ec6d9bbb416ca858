using System.Buffers;
using Faster.Contracts;
using Faster.Log;

namespace Faster;

/// <summary>Copies a value that lies in chunks to the tail of the log, for a record that is to move there.</summary>
/// <remarks>
/// One chunk is in memory at a time, and the places of all: 16 bytes for each. What has been copied is nobody's until a
/// record with the new head is linked; the old chunks go with their part of the log. Blocks, outside every epoch: who
/// makes room at the tail must not be held back with those who take it (<see cref="TailThrottle"/>).
/// </remarks>
internal static class LargeCopy
{
    /// <summary>Copies.</summary>
    /// <param name="store">The store.</param>
    /// <param name="head">What the record holds.</param>
    /// <param name="hash">The hash of its key.</param>
    /// <param name="buffer">Room for a chunk, to be used again; a longer one takes its place if need be.</param>
    /// <param name="checkStop">Throws to give the copy up.</param>
    /// <returns>
    /// What the new record is to hold, with the bit <see cref="RecordHeader.Large"/> in its header; null when the log
    /// has been truncated above a part of the value.
    /// </returns>
    /// <exception cref="DamagedDataException">A chunk is damaged.</exception>
    /// <exception cref="StorageException">The disk can't be read or written.</exception>
    public static LargeHead? ToTail<TProbe>(
        FasterStore<TProbe> store, LargeHead head, ulong hash, ref byte[] buffer, Action checkStop)
        where TProbe : struct, IProbe
    {
        using LargeReader<TProbe>? reader = store.ReadChunks(head);
        if (reader is null) return null;
        var chunks = new List<ChunkPlace>();
        int longest = 0;
        while (reader.Left > 0)
        {
            checkStop();
            chunks.Add(reader.Next);
            longest = Math.Max(longest, reader.Next.Length);
            reader.ReadNextAsync(default).AsTask().GetAwaiter().GetResult();
        }

        if (buffer.Length < longest) buffer = new byte[longest];
        using ChunkWriter<TProbe> writer = store.WriteChunks(hash);
        for (int i = chunks.Count - 1; i >= 0; i--)
        {
            checkStop();
            int length = chunks[i].Length;
            _ = reader.ReadAsync(chunks[i], buffer.AsMemory(0, length)).AsTask().GetAwaiter().GetResult();
            Prepend(store, writer, new ReadOnlySequence<byte>(buffer, 0, length));
        }

        return writer.Head;
    }

    private static void Prepend<TProbe>(
        FasterStore<TProbe> store, ChunkWriter<TProbe> writer, ReadOnlySequence<byte> bytes)
        where TProbe : struct, IProbe
    {
        var patience = new Patience<TProbe>(store);
        while (!bytes.IsEmpty)
        {
            int taken = writer.TryPrepend(bytes);
            if (taken != 0)
            {
                bytes = bytes.Slice(0, bytes.Length - taken);
                continue;
            }

            store.Log.WaitForRoom();
            patience.Check(Outcome.NoRoom);
        }
    }
}
