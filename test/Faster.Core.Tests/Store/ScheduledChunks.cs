using Faster.Contracts;
using Faster.Epochs;
using Faster.Log;
using Faster.Tests.Log;
using Faster.Tests.Scheduling;

namespace Faster.Tests.Store;

/// <summary>
/// Values in chunks under a controlled scheduler: written by the writer that ships, and read as its reader does, but
/// from what the fake sink holds.
/// </summary>
internal sealed unsafe class ScheduledChunks(
    EpochTable<ScheduledProbe> epochs, PagedLog<ScheduledProbe>? log, FakePageSink<ScheduledProbe> sink)
{
    /// <summary>Writes all chunks of a value, or all again.</summary>
    public void Write(LargeWrite<ScheduledProbe> write, ulong hash)
    {
        using var writer = new ChunkWriter<ScheduledProbe>(epochs, log!, RecordHeader.FirstVersion, hash);
        for (write.Announce(log!); !write.IsWritten;)
        {
            if (write.TryStep(writer)) continue;
            epochs.Drain();
            for (int turn = 0; turn < 3; turn++) ScheduledProbe.Point(ProbePoint.Wait);
        }

        if (write.Without is { IsDone: false } other) Write(other, hash);
    }

    /// <summary>Reads a value; null when a part of it has been given up.</summary>
    public byte[]? Gather(in LargeHead head)
    {
        using LogPins.Pin? pin = log!.TryPin(head.Lowest);
        if (pin is null) return null;
        byte[] value = new byte[head.Length];
        int at = 0;
        for (ChunkPlace place = head.FirstChunk; place.Length != 0; ScheduledProbe.Point(ProbePoint.RegionMarker))
        {
            Assert.True(TryCopy(place, value.AsSpan(at), out ChunkPlace next), $"No chunk at {place.Address}.");
            (at, place) = (at + place.Length, next);
        }

        Assert.Equal(value.Length, at);
        return value;
    }

    private bool TryCopy(in ChunkPlace place, Span<byte> room, out ChunkPlace next)
    {
        EpochSlot* slot = epochs.Acquire("a reader of chunks");
        epochs.Enter(slot);
        bool inMemory = place.Address >= log!.HeadAddress;
        bool copied = inMemory
            ? TryCopy(log!.Pointer(place.Address), place, room, out next)
            : TryCopy(sink.Read(place.Address), place, room, out next);
        epochs.Leave(slot);
        epochs.Release(slot);
        return copied;
    }

    private static bool TryCopy(ReadOnlySpan<byte> record, in ChunkPlace place, Span<byte> room, out ChunkPlace next)
    {
        fixed (byte* bytes = record) return TryCopy(bytes, place, room, out next);
    }

    private static bool TryCopy(byte* record, in ChunkPlace place, Span<byte> room, out ChunkPlace next)
    {
        if (!LargeChunk.TryRead(record, place, out next)) return false;
        new ReadOnlySpan<byte>(record + LargeChunk.Prefix, place.Length).CopyTo(room);
        return true;
    }
}
