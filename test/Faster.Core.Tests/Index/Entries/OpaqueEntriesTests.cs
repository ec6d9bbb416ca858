using System.Text.RegularExpressions;
using Faster.Tests.House;

namespace Faster.Tests.Index.Entries;

/// <summary>
/// No code but the index's own knows how entries lie: operations, compaction and the read cache take them by reference.
/// </summary>
public sealed partial class OpaqueEntriesTests
{
    // Files that read or write the buckets themselves, or a table's size.
    private static readonly string[] OfTheIndex =
    [
        "src/Faster.Core/Index/", "src/Faster.Core/HashChunks/", "src/Faster.Core/Checkpoints/",
        "src/Faster.Core/Operations/QuietView.cs",
        "src/Faster.Core/Opening/MemoryPlan.cs",
        "src/Faster.Core/Caching/CachedRecord.cs", // has a chain address as an entry has it
    ];

    [Fact]
    public void Only_the_index_knows_the_layout_of_entries()
    {
        string[] files = [.. Repository.Files("src/Faster.Core", "*.cs")];
        Assert.Contains(files, file => Knows(Repository.Read(file)));
        Assert.Empty(files.Where(file => Knows(Repository.Read(file))
            && !OfTheIndex.Any(known => file.StartsWith(known, StringComparison.Ordinal))));
    }

    [Theory]
    [InlineData("HashBucket* bucket = null;", true)]
    [InlineData("long address = EntryWord.AddressOf(word);", true)]
    [InlineData("Volatile.Write(ref *at.Entry.Slot, 0);", true)]
    [InlineData("return at.Entry.Address < 0;", false)]
    [InlineData("address = EntryWord.OfCache(address);", false)]
    public void Code_that_knows_the_layout_is_found(string code, bool expected) => Assert.Equal(expected, Knows(code));

    private static bool Knows(string code) => Layout().IsMatch(code);

    [GeneratedRegex(
        @"\b(HashBucket|BucketRef|BucketChain)\b|\bEntryWord\.(?!OfCache\b)|\b[eE]ntry\.(Home|Slot|Word)\b"
        + @"|\bHashIndex<\w+>\.(Find|AddressOf|TryInsert|TryReplace|TryRemove)\b")]
    private static partial Regex Layout();
}
