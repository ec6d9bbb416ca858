namespace Faster.Generators.Emitting;

/// <summary>Writes what a store has in an engine that scans commits: the list of those that can be scanned.</summary>
internal static class CommitScanEmitter
{
    public static void Emit(IndentedWriter writer)
    {
        writer.Lines("""
            /// <summary>The commits whose state can be scanned, oldest first.</summary>
            public global::System.Collections.Generic.IReadOnlyList<global::Faster.Commit> ScannableCommits =>
                _engine.Analytics.ScannableCommits;
            """);
        writer.Blank();
    }
}
