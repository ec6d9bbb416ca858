using Faster.Tables;

namespace Faster.Tests.Tables;

/// <summary>What a lock word allows beside what.</summary>
public sealed unsafe class LockWordTests
{
    private const int MostReaders = (1 << 14) - 1;

    [Fact]
    public void Readers_share_and_a_writer_is_alone()
    {
        ulong word = 0;
        Assert.Equal(Locking.Taken, LockWord.TryTake(&word, isExclusive: false));
        Assert.Equal(Locking.Taken, LockWord.TryTake(&word, isExclusive: false));
        Assert.Equal(Locking.Refused, LockWord.TryTake(&word, isExclusive: true));
        Assert.False(LockWord.TryUpgrade(&word));
        LockWord.Release(&word, isExclusive: false);
        Assert.True(LockWord.TryUpgrade(&word));
        Assert.Equal(LockWord.Exclusive, word);
        Assert.Equal(Locking.Refused, LockWord.TryTake(&word, isExclusive: false));
        Assert.Equal(Locking.Refused, LockWord.TryTake(&word, isExclusive: true));
        Assert.False(LockWord.TryUpgrade(&word));
        LockWord.Release(&word, isExclusive: true);
        Assert.Equal(1UL, word);
        LockWord.TryTake(&word, isExclusive: true);
        LockWord.MarkGone(&word);
        Assert.Equal(Locking.Gone, LockWord.TryTake(&word, isExclusive: false));
        Assert.Equal(Locking.Gone, LockWord.TryTake(&word, isExclusive: true));
        Assert.False(LockWord.TryUpgrade(&word));
    }

    [Fact]
    public void One_reader_too_many_is_refused_and_changes_nothing()
    {
        ulong word = 5;
        for (int i = 0; i < MostReaders; i++) Assert.Equal(Locking.Taken, LockWord.TryTake(&word, isExclusive: false));
        ulong full = word;
        Assert.Equal(Locking.Refused, LockWord.TryTake(&word, isExclusive: false));
        Assert.Equal(full, word);
        for (int i = 0; i < MostReaders; i++) LockWord.Release(&word, isExclusive: false);
        Assert.Equal(5UL, word);
    }

    [Fact]
    public void A_reader_without_a_lock_sees_that_a_writer_was_there_but_not_other_readers()
    {
        ulong word = LockWord.Exclusive - LockWord.Exclusive;
        ulong seen = LockWord.Read(&word);
        Assert.True(LockWord.IsReadable(seen));
        LockWord.TryTake(&word, isExclusive: false);
        Assert.True(LockWord.IsReadable(word));
        Assert.True(LockWord.IsUnchanged(&word, seen));
        LockWord.Release(&word, isExclusive: false);
        LockWord.TryTake(&word, isExclusive: true);
        Assert.False(LockWord.IsReadable(word));
        Assert.False(LockWord.IsUnchanged(&word, seen));
        LockWord.Release(&word, isExclusive: true);
        Assert.True(LockWord.IsReadable(word));
        Assert.False(LockWord.IsUnchanged(&word, seen));
        seen = word;
        LockWord.TryTake(&word, isExclusive: true);
        LockWord.MarkGone(&word);
        Assert.False(LockWord.IsReadable(word));
        Assert.False(LockWord.IsUnchanged(&word, seen));
    }

    [Fact]
    public void The_sequence_starts_again_and_touches_no_other_bit()
    {
        ulong stamp = LockWord.StampOf(-1), word = stamp | uint.MaxValue;
        LockWord.TryTake(&word, isExclusive: true);
        LockWord.Release(&word, isExclusive: true);
        Assert.Equal(stamp, word);
        Assert.True(LockWord.HasStamp(&word, stamp));
    }

    [Fact]
    public void A_stamp_is_given_once_and_leaves_holders_alone()
    {
        ulong word = 7, stamp = LockWord.StampOf(3), next = LockWord.StampOf(4);
        Assert.NotEqual(stamp, next);
        Assert.Equal(stamp, LockWord.StampOf(3 + LockWord.Stamps));
        ulong seen = LockWord.Read(&word);
        LockWord.TryTake(&word, isExclusive: false);
        Assert.False(LockWord.TryStamp(&word, seen, stamp)); // a reader has come
        Assert.True(LockWord.TryStamp(&word, stamp));
        Assert.False(LockWord.TryStamp(&word, stamp));
        Assert.False(LockWord.IsUnchanged(&word, seen));
        LockWord.Release(&word, isExclusive: false);
        Assert.Equal(stamp | 7, word);
        Assert.True(LockWord.TryStamp(&word, word, next));
        LockWord.TryTake(&word, isExclusive: true);
        Assert.True(LockWord.TryStamp(&word, stamp));
        Assert.True(LockWord.IsExclusive(&word));
        LockWord.Release(&word, isExclusive: true);
        Assert.Equal(stamp | 8, word);
    }
}
