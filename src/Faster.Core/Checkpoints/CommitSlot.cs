namespace Faster.Checkpoints;

/// <summary>What a slot of the file of commit records has.</summary>
/// <param name="Number">The slot's number.</param>
/// <param name="Copies">The copies.</param>
internal sealed record CommitSlot(int Number, CommitSlotCopy[] Copies)
{
    /// <summary>
    /// The record; null: the slot is unused, damaged, or has parts of records, of which a crash has interrupted the
    /// last one.
    /// </summary>
    public byte[]? Record => Newest.Record;

    /// <summary>The version of the record; 0 without one.</summary>
    public long Version => Newest.Version;

    /// <summary>What is damaged, if the slot has no record; it may have had one.</summary>
    public DamagedDataException? Damage => Record is not null
        ? null
        : Copies.Select(static copy => copy.Damage).FirstOrDefault(static damage => damage is not null);

    private CommitSlotCopy Newest => Copies.MaxBy(static copy => copy.Version);

    /// <summary>Whether a copy has the slot's record.</summary>
    public bool HasWhole(int copy) => Copies[copy].Version == Version;
}

/// <summary>What a copy has: a whole record, damage, or neither.</summary>
/// <param name="Record">The record, if it is whole.</param>
/// <param name="Version">Its version, from 1; 0 without a record.</param>
/// <param name="Damage">A block's damage, if there is one.</param>
internal readonly record struct CommitSlotCopy(byte[]? Record, long Version, DamagedDataException? Damage);
