namespace CountStore.Input;

/// <summary>What surrounds the words.</summary>
internal enum WordSyntax
{
    /// <summary>Nothing.</summary>
    PlainText,

    /// <summary>XML: tags go, the values of their attributes stay: they are the names in sentences.</summary>
    Xml,
}
