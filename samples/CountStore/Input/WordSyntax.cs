namespace CountStore.Input;

/// <summary>What surrounds the words.</summary>
internal enum WordSyntax
{
    /// <summary>Nothing.</summary>
    PlainText,

    /// <summary>
    /// XML: tags go, the values of their attributes stay, for they are the names that sentences refer to.
    /// </summary>
    Xml,
}
