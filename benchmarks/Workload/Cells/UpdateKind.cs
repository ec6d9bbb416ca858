namespace Faster.Workload.Cells;

/// <summary>What the operations of a workload do that do not read.</summary>
internal enum UpdateKind
{
    /// <summary>There are none.</summary>
    None,

    /// <summary>They overwrite a value blindly.</summary>
    Upsert,

    /// <summary>They add one to a value.</summary>
    Rmw,

    /// <summary>They insert a key that did not exist.</summary>
    Insert,
}
