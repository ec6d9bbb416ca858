using System.Buffers;
using Faster.Contracts;
using Faster.Log;
using Faster.Log.Large;
using Faster.Log.Records;
using Faster.Operations.Waiting;
using Faster.Tiers;

namespace Faster.Operations.Large;

/// <summary>
/// Copies a value that lies in fragments to the tail of its log, or of the log below, for a record that will move
/// there.
/// </summary>
/// <remarks>
/// In memory are one fragment at a time, and the places of all fragments: 16 bytes for each. The copied fragments
/// belong to no key until a record with the new head is linked; the old fragments are reclaimed with their part of the
/// log. Blocks, outside every epoch: the thread that frees log space must not be delayed together with those that
/// append (<see cref="TailThrottle"/>).
/// </remarks>
internal static class LargeCopy
{
    /// <summary>Copies a value.</summary>
    /// <param name="from">The tier of the value.</param>
    /// <param name="to">The tier to whose tail it is copied.</param>
    /// <param name="head">The head that the old record holds.</param>
    /// <param name="hash">The hash of its key.</param>
    /// <param name="buffer">A reusable buffer for one fragment; replaced by a longer one if necessary.</param>
    /// <param name="announced">
    /// The registration of the copy, where another run may truncate the log that it is written to; or null.
    /// </param>
    /// <param name="checkStop">Throws to cancel the copy.</param>
    /// <returns>
    /// The head for the new record, whose header gets the bit <see cref="RecordHeader.Large"/>; null when the log has
    /// been truncated above a part of the value.
    /// </returns>
    /// <exception cref="DamagedDataException">A fragment is damaged.</exception>
    /// <exception cref="StorageException">The disk can't be read or written.</exception>
    public static LargeHead? ToTail(
        Tier from, Tier to, LargeHead head, ulong hash, ref byte[] buffer,
        FragmentWrites.Write? announced, Action checkStop)
    {
        using LargeReader? reader = from.ReadFragments(head);
        if (reader is null) return null;
        var fragments = new List<FragmentPlace>();
        int longest = 0;
        while (reader.Left > 0)
        {
            checkStop();
            fragments.Add(reader.Next);
            longest = Math.Max(longest, reader.Next.Length);
            reader.ReadNextAsync(default).AsTask().GetAwaiter().GetResult();
        }

        if (buffer.Length < longest) buffer = new byte[longest];
        using FragmentWriter writer = to.WriteFragments(hash);
        for (int i = fragments.Count - 1; i >= 0; i--)
        {
            checkStop();
            int length = fragments[i].Length;
            _ = reader.ReadAsync(fragments[i], buffer.AsMemory(0, length)).AsTask().GetAwaiter().GetResult();
            Prepend(to, writer, announced, new ReadOnlySequence<byte>(buffer, 0, length));
        }

        return writer.Head;
    }

    private static void Prepend(
        Tier tier, FragmentWriter writer, FragmentWrites.Write? announced,
        ReadOnlySequence<byte> bytes)
    {
        var stall = new StallTimeout(tier);
        while (!bytes.IsEmpty)
        {
            int taken = writer.TryPrepend(bytes);
            if (taken != 0)
            {
                bytes = bytes.Slice(0, bytes.Length - taken);
                announced?.Move(writer.Head.Lowest);
                continue;
            }

            tier.Log.WaitForSpace();
            stall.Check(Outcome.AllocationFailed);
        }
    }
}
