using Microsoft.Extensions.Configuration;

namespace Faster.Tests.Contracts;

/// <summary>Options come from a configuration as its file has them, by the framework's own binder.</summary>
public sealed class OptionsFromConfigurationTests
{
    [Fact]
    public void Every_option_of_a_value_is_bound()
    {
        StoreOptions bound = Bind("""
            {
              "MemoryBudget": "16 MiB", "DiskBudget": "1GB", "CommitEveryBytes": "4 MB", "ExpectedKeys": 12345,
              "Allocator": "AppendOnly", "ReadCacheFraction": "0.25", "CommitKind": "Snapshot",
              "Durability": "EachOperation", "ReadsAwaitDurability": true,
              "CommitEvery": "00:00:05", "TimeToLive": "1.00:00:00", "CloseTimeout": "00:00:09",
              "AllowClockRollback": true, "AllowOlderCommit": "true", "CommitOnDispose": false, "PopulateMemory": true,
              "Expert": {
                "OperationLogSize": "3 MiB",
                "PageSize": "65536", "SegmentSize": "32MiB", "IndexCheckpointEveryBytes": "1.5 GiB",
                "MutableFraction": 0.5, "MaxPendingPerSession": 7, "UnbufferedIO": false, "IOMode": "RandomAccess",
                "PendingOrder": "Relaxed", "CompactionThreads": 3
              }
            }
            """);
        Assert.Equal(
            new StoreOptions
            {
                MemoryBudget = ByteSize.MiB(16), DiskBudget = ByteSize.GiB(1), PageSize = ByteSize.KiB(64),
                SegmentSize = ByteSize.MiB(32), CommitEveryBytes = ByteSize.MiB(4),
                IndexCheckpointEveryBytes = ByteSize.GiB(1.5), ExpectedKeys = 12345,
                Allocator = RecordAllocatorKind.AppendOnly, MutableFraction = 0.5, ReadCacheFraction = 0.25,
                MaxPendingPerSession = 7, UnbufferedIO = false, IOMode = IOMode.RandomAccess,
                Durability = Durability.EachOperation, ReadsAwaitDurability = true, OperationLogSize = ByteSize.MiB(3),
                CommitKind = CommitKind.Snapshot, PendingOrder = PendingOrder.Relaxed,
                CommitEvery = TimeSpan.FromSeconds(5), TimeToLive = TimeSpan.FromDays(1), AllowClockRollback = true,
                CloseTimeout = TimeSpan.FromSeconds(9),
                AllowOlderCommit = true, CommitOnDispose = false, CompactionThreads = 3,
                PopulateMemory = true,
            },
            bound);
    }

    [Fact]
    public void No_option_of_a_value_is_left_out_of_the_test_before()
    {
        var defaults = new StoreOptions();
        StoreOptions bound = Bind("{ \"MemoryBudget\": \"1MiB\" }");
        Assert.Equal(defaults with { MemoryBudget = ByteSize.MiB(1) }, bound);
        string[] objects =
            [nameof(StoreOptions.Device), nameof(StoreOptions.TimeProvider), nameof(StoreOptions.MinMemoryBudget)];
        int own = typeof(StoreOptions).GetProperties().Select(option => option.Name).Except(objects).Count();
        Assert.Equal(16 + 1, own); // of which one is for the others
        Assert.Equal(10, typeof(LogStoreOptions.ExpertOptions).GetProperties().Length);
    }

    [Theory]
    [InlineData("16 apples")]
    [InlineData("")]
    [InlineData("-1")]
    public void A_text_that_is_no_size_is_an_error_that_names_it(string text)
    {
        var error = Assert.Throws<InvalidOperationException>(() => Bind($"{{ \"DiskBudget\": \"{text}\" }}"));
        Assert.Contains("DiskBudget", error.Message, StringComparison.Ordinal);
        Assert.Contains($"'{text}' is not a size", error.InnerException!.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_size_is_parsed_as_other_values_are_and_its_text_loses_nothing()
    {
        Assert.Equal(ByteSize.MiB(3), Parse<ByteSize>("3 MiB"));
        var converter = System.ComponentModel.TypeDescriptor.GetConverter(typeof(ByteSize));
        Assert.Equal("1234567", converter.ConvertToInvariantString(new ByteSize(1234567)));
        Assert.Equal(new ByteSize(1234567), converter.ConvertFromInvariantString("1234567"));
    }

    private static T Parse<T>(string text)
        where T : IParsable<T> => T.Parse(text, null);

    private static StoreOptions Bind(string json)
    {
        using var text = new MemoryStream(System.Text.Encoding.UTF8.GetBytes($"{{ \"Faster\": {json} }}"));
        return new ConfigurationBuilder().AddJsonStream(text).Build().GetSection("Faster").Get<StoreOptions>()!;
    }
}
