using Faster.Log.Large;
using Faster.Log.Records;
using Faster.Tiers;

namespace Faster.Compaction.Copying;

/// <summary>A record of the log that is compacted, in a copy of its page.</summary>
/// <remarks>Valid as long as the copy is, which does not move: so are pointers into it.</remarks>
internal readonly unsafe struct PageRecord
{
    private readonly Tier _tier;

    /// <summary>Reads what every stage needs of a record.</summary>
    /// <param name="tier">The tier whose log has the record.</param>
    /// <param name="bytes">The record in the copy.</param>
    /// <param name="address">Its address in the log.</param>
    public PageRecord(Tier tier, byte* bytes, long address)
    {
        _tier = tier;
        Bytes = bytes;
        Address = address;
        Header = RecordHeader.Read(bytes);
        Hash = tier.Layout.Hash(bytes, tier.Seed);
    }

    /// <summary>The record in the copy.</summary>
    public byte* Bytes { get; }

    /// <summary>Its address in the log.</summary>
    public long Address { get; }

    /// <summary>Its header in the copy.</summary>
    public ulong Header { get; }

    /// <summary>The hash of its key.</summary>
    public ulong Hash { get; }

    /// <summary>Its key, whose bytes are those of the copy.</summary>
    public RecordKey Key => new(Bytes + RecordHeader.Size, _tier.Layout.KeySlotSize(Bytes), Hash);

    /// <summary>Its value, or the head of one that lies in fragments.</summary>
    public ReadOnlySpan<byte> Value => _tier.Layout.Value(Bytes);

    /// <summary>Its expiry; <see cref="RecordExpiry.Never"/> when it has none.</summary>
    public long Expiry => _tier.Layout.Expiry(Bytes);

    /// <summary>Its size in bytes.</summary>
    public long Size => _tier.Layout.RecordSize(Bytes);

    /// <summary>Whether its value lies in fragments.</summary>
    public bool IsLarge => LargeHead.IsIn(Header);

    /// <summary>Whether it is a tombstone, or has expired by now.</summary>
    public bool IsDead => (Header & RecordHeader.Tombstone) != 0
        || ((Header & RecordHeader.Expiring) != 0
            && RecordExpiry.IsDead(_tier.Layout, Bytes, Header, _tier.Core.Clock.Now));
}
